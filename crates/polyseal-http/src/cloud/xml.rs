//! The few texts that are read from a store's answers in XML.
//!
//! Source: XML 1.0, read by `quick-xml`. Entities are the five of XML and characters by number;
//! there are no others, so nothing grows in here.

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

/// The name of the outermost element; `None` if it is no XML.
#[must_use]
pub fn root(xml: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) | Event::Empty(start) => return local(start.local_name().as_ref()),
            Event::Eof => return None,
            _ => {}
        }
    }
}

/// The text of the first element of this name, whatever it stands in.
#[must_use]
pub fn text(xml: &str, name: &str) -> Option<String> {
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event().ok()? {
            Event::Start(start) if start.local_name().as_ref() == name.as_bytes() => {
                let raw = reader.read_text(start.name()).ok()?;
                return Some(unescape(&raw).ok()?.into_owned());
            }
            Event::Eof => return None,
            _ => {}
        }
    }
}

fn local(name: &[u8]) -> Option<String> {
    String::from_utf8(name.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_by_the_name_of_their_element() {
        let xml = "<?xml version=\"1.0\"?><a:R xmlns:a=\"x\"><!-- <Id>no</Id> --><a:Id>1 &amp; \
                   &#34;2&quot;</a:Id><Id>other</Id></a:R>";
        assert_eq!(root(xml).as_deref(), Some("R"));
        assert_eq!(text(xml, "Id").as_deref(), Some("1 & \"2\""));
        assert_eq!(text(xml, "I"), None);
        assert_eq!(text("<R><Id>not closed", "Id"), None);
        assert_eq!(root("not xml"), None);
    }
}
