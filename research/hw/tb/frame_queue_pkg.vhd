-- SPDX-License-Identifier: Apache-2.0 OR MIT
-- Frames that wait, as lines of hexadecimal digits: what processes of a bench hand each other.

use std.textio.all;

package frame_queue_pkg is
  type frame_queue is protected
    procedure put (text : string);
    impure function waits return natural;
    -- The first of them; there must be one.
    impure function get return string;
  end protected;
end package;

package body frame_queue_pkg is
  type frame_queue is protected body
    type item;
    type item_pointer is access item;
    type item is record
      text : line;
      behind : item_pointer;
    end record;
    variable first, last : item_pointer;
    variable count : natural := 0;

    procedure put (text : string) is
      variable new_item : item_pointer;
    begin
      new_item := new item;
      new_item.text := new string'(text);
      if count = 0 then
        first := new_item;
      else
        last.behind := new_item;
      end if;
      last := new_item;
      count := count + 1;
    end procedure;

    impure function waits return natural is
    begin
      return count;
    end function;

    impure function get return string is
      variable old_item : item_pointer := first;
      constant CONTENT : string := old_item.text.all;
    begin
      first := old_item.behind;
      deallocate(old_item.text);
      deallocate(old_item);
      count := count - 1;
      return CONTENT;
    end function;
  end protected body;
end package body;
